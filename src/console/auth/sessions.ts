/** The person who is signed in, as the routes see it. */
export type SessionUser = {
  readonly id: string;
  /** As the person wrote it; compared without regard to case. */
  readonly email: string;
  readonly name: string;
  readonly emailVerified: boolean;
  readonly twoFactor: boolean;
};

/** Reads who a request comes from. */
export type Sessions = {
  /** Undefined where the request carries no session, or one that has ended. */
  readonly read: (headers: Headers) => Promise<SessionUser | undefined>;
  /** Whether somebody can sign in with a password. */
  readonly hasPassword: (userId: string) => Promise<boolean>;
};
