// All of test runs in one piece: it is fetched when the first one is started.

import { TestPanel } from "./panel.tsx";
import { pastInput, pastRuns } from "./past.ts";
import { startTest } from "./run.ts";

export const testing = { TestPanel, pastInput, pastRuns, startTest };
