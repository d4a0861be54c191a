/** The error of a slot network's node for a transaction of a higher version than the client reads (agave 3.0). */
export const unsupportedVersion = (version: number) => ({
  code: -32015,
  message:
    `Transaction version (${version}) is not supported by the requesting client. ` +
    "Please try the request again with the following configuration parameter: " +
    `"maxSupportedTransactionVersion": ${version}`,
});
