// The controls of test runs, fetched when a run has any.

import { Rig } from "./acts.ts";
import { RigBar } from "./bar.tsx";

export const controls = { Rig, RigBar };
