import { StorageError } from "../../storage/store.ts";
import { codeOf, Problem } from "./problem.ts";

/** The problem that a request is told of an error: nothing of what only concerns the program. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StorageError) {
    const text = "the storage does not respond; try again in a moment";
    return new Problem("unavailable", text, { cause: error });
  }
  // Refusals of the server itself: a body that is no JSON or too large, an unknown media type.
  const status = statusOf(error);
  if (status !== undefined && error instanceof Error) {
    return new Problem(codeOf(status), error.message, { cause: error, status });
  }
  const text = "something went wrong; try again, and tell an operator if it happens again";
  return new Problem("internal", text, { cause: error });
}

function statusOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}
