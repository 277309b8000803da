// Bars over the canvas: an earlier moment is shown, the network is away, the
// session has ended.

import { canFork } from "../core/run-fork.ts";
import { moment } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import type { RunStore } from "./store.ts";

export function Banner({ store }: { readonly store: RunStore }) {
  const cursor = store.cursor.value;
  if (cursor === undefined) return null;
  store.version.value;
  return (
    <div class="banner" role="status">
      <Icon name="history" />
      <span class="tn">
        {t("run.viewing", {
          time: moment(store.moment - store.started),
          n: cursor,
          of: store.trace.last,
        })}
      </span>
      {store.info.operates && canFork(store.trace.events[cursor - 1]) ? (
        <button type="button" class="lnk" onClick={() => (store.forking.value = cursor)}>
          {t("run.fork")}
        </button>
      ) : undefined}
      <button type="button" class="lnk" onClick={() => store.live()}>
        {store.over.value ? t("run.back.end") : t("run.back")} <kbd aria-hidden="true">L</kbd>
      </button>
    </div>
  );
}

export function LinkNote({ store }: { readonly store: RunStore }) {
  switch (store.at.value) {
    case "offline":
      return (
        <p class="link-note note warn" role="status">
          <Icon name="wifi-off" />
          {t("run.offline")}
        </p>
      );
    case "login":
      return (
        <p class="link-note note warn" role="status">
          <Icon name="lock" />
          <span>
            {t("run.login")} <a href="/login">{t("run.login.link")}</a>
          </span>
        </p>
      );
    case "gone":
      return (
        <p class="link-note note fail" role="status">
          <Icon name="triangle-alert" />
          {t("run.gone")}
        </p>
      );
    default:
      return null;
  }
}
