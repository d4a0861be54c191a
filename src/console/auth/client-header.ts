/** Where the server puts the client's address for better-auth; it takes the header from no client. */
export const CLIENT_ADDRESS_HEADER = "x-tollgate-client";
