import { expectNothingLost } from "./reorganisations.ts";

expectNothingLost(1000, 2);
