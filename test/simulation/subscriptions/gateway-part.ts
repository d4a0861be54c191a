import { printSeeds } from "../run-seeds.ts";
import { GatewaySchedule } from "./gateway-schedule.ts";

await printSeeds((seed, trace) => new GatewaySchedule(seed, trace).run());
