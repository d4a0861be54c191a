import type { ErrorBody, ErrorCode } from "../contract/common.ts";

const STATUS: Readonly<Record<ErrorCode, number>> = Object.freeze({
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_many: 429,
  unavailable: 503,
  internal: 500,
});

/** The refusal of a request. The text is for people: what was wrong, what is right. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ErrorCode;
  readonly statusCode: number;
  /** The part of the request that was wrong: `body.name`. */
  readonly field: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & { readonly field?: string; readonly status?: number } = {},
  ) {
    super(message, options);
    this.code = code;
    this.statusCode = options.status ?? STATUS[code];
    this.field = options.field;
  }

  get body(): ErrorBody {
    const { code, message, field } = this;
    return { error: { code, message, ...(field !== undefined && { field }) } };
  }
}

/** The code for a status that a library chose. */
export function codeOf(status: number): ErrorCode {
  const known = (Object.keys(STATUS) as ErrorCode[]).find((code) => STATUS[code] === status);
  return known ?? (status >= 500 ? "internal" : "bad_request");
}
