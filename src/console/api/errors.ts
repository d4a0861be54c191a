import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../../telemetry/log.ts";
import { Problem } from "./problem.ts";
import { problemOf } from "./problem-of.ts";

/** Every failure as one body; the reason of what nobody foresaw goes to the log alone. */
export function handleErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error);
    if (problem.statusCode >= 500) {
      const { method, routeOptions } = request;
      const cause = error instanceof Error ? error.stack : String(error);
      log.error({ method, route: routeOptions.url, cause }, "the dashboard failed to answer");
    }
    return sendProblem(reply, problem);
  });
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply.code(problem.statusCode).type("application/json; charset=utf-8").send(problem.body);
}

/** For addresses that no route has. */
export function noSuchRoute({ method, url }: FastifyRequest): Problem {
  const path = url.split("?")[0] ?? "";
  return new Problem("not_found", `there is no ${method} ${path.slice(0, 200)}`);
}
