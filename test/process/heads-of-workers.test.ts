import { describe } from "vitest";
import { testHeadsOfWorkers } from "./heads-of-workers.ts";

describe("workers that poll", () => testHeadsOfWorkers({ times: 15, webSocket: false }));
describe("workers that the node tells", () => testHeadsOfWorkers({ times: 15, webSocket: true }));
