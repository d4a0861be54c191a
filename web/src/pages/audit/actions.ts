/** What the log's names mean, as people say it. */
const ACTIONS: Readonly<Record<string, string>> = {
  "account.create": "Account created",
  "account.plan": "Plan changed",
  "account.limits": "Account's limits changed",
  "account.credit": "Credits added",
  "account.repair": "Usage of wrong days cleared",
  "account.suspend": "Account suspended",
  "account.resume": "Account resumed",
  "account.delete": "Account deleted",
  "account.link": "Sign-in link created",
  "key.create": "Key created",
  "key.name": "Key renamed",
  "key.limits": "Key's limits changed",
  "key.allow": "Key's allow-lists changed",
  "key.rotate": "Key rotated",
  "key.revoke": "Key revoked",
  "member.add": "Member added",
  "member.remove": "Member removed",
  "token.create": "API token created",
  "token.revoke": "API token revoked",
  "alerts.change": "Alerts changed",
  "alerts.test": "Test alert sent",
  "upstream.drain": "Node drained",
  "upstream.enable": "Node enabled",
  "user.sign_up": "Signed up",
  "user.sign_in": "Signed in",
  "user.sign_in_failed": "Sign-in failed",
  "user.sign_out": "Signed out",
  "user.email_verify": "E-mail confirmed",
  "user.password_change": "Password changed",
  "user.password_reset": "Password reset",
  "user.two_factor_enable": "Second factor turned on",
  "user.two_factor_disable": "Second factor turned off",
  "user.passkey_add": "Passkey added",
  "user.passkey_remove": "Passkey removed",
  "user.session_revoke": "Sessions ended",
};

/** The action in words; a newer server's names stand as they came. */
export function describeAction(action: string): string {
  return ACTIONS[action] ?? action;
}
