import { connectCast } from "../outside/cast.ts";
import { checkClient } from "./check-client.ts";

checkClient("cast", connectCast, { batches: [] });
