import { describe } from "vitest";
import { testHeadsOfWorkers } from "./heads-of-workers.ts";

describe("workers that poll", () => testHeadsOfWorkers({ times: 1000, webSocket: false }));
describe("workers that the node tells", () => testHeadsOfWorkers({ times: 1000, webSocket: true }));
