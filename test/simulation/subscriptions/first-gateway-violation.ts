import { printFirstViolation } from "../run-seeds.ts";
import { GatewaySchedule } from "./gateway-schedule.ts";

await printFirstViolation((seed) => new GatewaySchedule(seed).run());
