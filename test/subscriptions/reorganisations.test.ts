import { expectNothingLost } from "./reorganisations.ts";

expectNothingLost(50, 1);
