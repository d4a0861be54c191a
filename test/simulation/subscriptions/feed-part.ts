import { printSeeds } from "../run-seeds.ts";
import { FeedSchedule } from "./feed-schedule.ts";

await printSeeds((seed, trace) => new FeedSchedule(seed, trace).run());
