import type { Route } from "./router.tsx";

/** All pages; each is loaded when it is first opened. */
export const ROUTES: readonly Route[] = [
  {
    path: "/sign-in",
    title: "Sign in",
    access: "guest",
    page: async () => (await import("./pages/sign-in/sign-in-page.tsx")).SignInPage,
  },
  {
    path: "/sign-up",
    title: "Sign up",
    access: "guest",
    page: async () => (await import("./pages/sign-in/sign-up-page.tsx")).SignUpPage,
  },
  {
    path: "/verify",
    title: "Confirm your e-mail",
    access: "public",
    page: async () => (await import("./pages/sign-in/verify-page.tsx")).VerifyPage,
  },
  {
    path: "/forgot",
    title: "Forgotten password",
    access: "public",
    page: async () => (await import("./pages/sign-in/forgot-page.tsx")).ForgotPage,
  },
  {
    path: "/reset",
    title: "New password",
    access: "public",
    page: async () => (await import("./pages/sign-in/reset-page.tsx")).ResetPage,
  },
  {
    path: "/",
    title: "Usage",
    access: "account",
    page: async () => (await import("./pages/usage/usage-page.tsx")).UsagePage,
  },
  {
    path: "/usage",
    title: "Usage",
    access: "account",
    page: async () => (await import("./pages/usage/usage-page.tsx")).UsagePage,
  },
  {
    path: "/keys",
    title: "API keys",
    access: "account",
    page: async () => (await import("./pages/keys/keys-page.tsx")).KeysPage,
  },
  {
    path: "/explorer",
    title: "Explorer",
    access: "account",
    page: async () => (await import("./pages/explorer/explorer-page.tsx")).ExplorerPage,
  },
  {
    path: "/alerts",
    title: "Alerts",
    access: "account",
    page: async () => (await import("./pages/alerts/alerts-page.tsx")).AlertsPage,
  },
  {
    path: "/members",
    title: "Members",
    access: "account",
    page: async () => (await import("./pages/members/members-page.tsx")).MembersPage,
  },
  {
    path: "/tokens",
    title: "API tokens",
    access: "account",
    page: async () => (await import("./pages/tokens/tokens-page.tsx")).TokensPage,
  },
  {
    path: "/audit",
    title: "Audit log",
    access: "account",
    page: async () => (await import("./pages/audit/audit-page.tsx")).AuditPage,
  },
  {
    path: "/settings",
    title: "Settings",
    access: "user",
    page: async () => (await import("./pages/settings/settings-page.tsx")).SettingsPage,
  },
  {
    path: "/networks",
    title: "Networks",
    access: "operator",
    page: async () => (await import("./pages/networks/networks-page.tsx")).NetworksPage,
  },
  {
    path: "/networks/:network/:upstream",
    title: "A node",
    access: "operator",
    page: async () => (await import("./pages/networks/node-page.tsx")).NodePage,
  },
  {
    path: "/accounts",
    title: "Accounts",
    access: "operator",
    page: async () => (await import("./pages/accounts/accounts-page.tsx")).AccountsPage,
  },
  {
    path: "/accounts/:id/usage",
    title: "Usage of an account",
    access: "operator",
    page: async () => (await import("./pages/accounts/account-usage-page.tsx")).AccountUsagePage,
  },
  {
    path: "/accounts/:id",
    title: "Account",
    access: "operator",
    page: async () => (await import("./pages/accounts/account-page.tsx")).AccountPage,
  },
];
