/** The name of the dashboard's own key of an account, with which its explorer calls. */
export const EXPLORER_KEY_NAME = "Explorer (dashboard)";

/** It is none of those that people made, and that a plan counts. */
export const isExplorerKey = ({ name }: { readonly name: string }): boolean =>
  name === EXPLORER_KEY_NAME;
