import { testReorganisations } from "./reorganisations.ts";

testReorganisations({ times: 20, webSocket: true });
