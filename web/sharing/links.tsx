// The open links: how often each was looked at, and the end of it.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../core/strings.ts";
import { Icon } from "../run/icon.tsx";
import { message } from "../run/net.ts";
import { toast } from "../run/toast.ts";
import type { Link } from "./model.ts";
import { links, revoke } from "./model.ts";

type Props = {
  /** What the links lead to. */
  readonly ids: readonly string[];
  /** Changes when one was made. */
  readonly again: string | undefined;
};

export function Links({ ids, again }: Props) {
  const list = useSignal<readonly Link[] | undefined>(undefined);
  const asked = useSignal<string | undefined>(undefined);
  const key = ids.join(" ");
  useEffect(() => {
    let wanted = true;
    links(key.split(" ")).then(
      (found) => {
        if (wanted) list.value = found;
      },
      () => undefined, // they stand in the settings as well
    );
    return () => {
      wanted = false;
    };
  }, [key, again]);
  const end = async (link: Link) => {
    if (asked.value !== link.id) {
      asked.value = link.id;
      return;
    }
    try {
      await revoke(link.id);
      list.value = list.value?.filter((l) => l.id !== link.id);
      toast(t("sharing.revoked"));
    } catch (fault) {
      toast(message(fault), "fail");
    }
  };
  if (list.value === undefined || list.value.length === 0) return null;
  return (
    <section class="sharing-links" aria-label={t("sharing.links")}>
      <h3>{t("sharing.links")}</h3>
      <ul>
        {list.value.map((link) => (
          <li key={link.id} data-link={link.id}>
            <Icon name={link.listed ? "globe" : "link"} />
            <span class="sharing-what">
              {link.listed && link.url !== undefined ? (
                <a class="lnk clip" href={link.url}>
                  {link.url.replace(/^https?:\/\//, "")}
                </a>
              ) : (
                <b>{t(`sharing.scope.${link.scope}`)}</b>
              )}
              <small class="dots tn">
                <span>{t("sharing.views", { n: link.views })}</span>
                {link.viewed === undefined ? undefined : (
                  <span>{t("sharing.viewed", { when: when(link.viewed) })}</span>
                )}
                <span>
                  {link.expires === undefined
                    ? t("sharing.for_ever")
                    : t("sharing.until", { day: day(link.expires) })}
                </span>
              </small>
            </span>
            <button type="button" class="btn sm dng" onClick={() => void end(link)}>
              {asked.value === link.id ? t("sharing.sure") : t("sharing.revoke")}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function when(at: string): string {
  return new Date(at).toLocaleString(document.documentElement.lang, {
    dateStyle: "medium",
    timeStyle: "short",
  });
}

function day(at: string): string {
  return new Date(at).toLocaleDateString(document.documentElement.lang, { dateStyle: "medium" });
}
