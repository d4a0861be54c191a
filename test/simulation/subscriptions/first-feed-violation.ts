import { printFirstViolation } from "../run-seeds.ts";
import { FeedSchedule } from "./feed-schedule.ts";

await printFirstViolation((seed) => new FeedSchedule(seed).run());
