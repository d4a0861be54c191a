import type { FastifyHelmetOptions } from "@fastify/helmet";

/** Everything comes from this server, and no page of it stands in another one's frame. */
export function securityHeaders(publicUrl: string): FastifyHelmetOptions {
  const secure = publicUrl.startsWith("https:");
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        connectSrc: ["'self'"],
        fontSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        imgSrc: ["'self'", "data:"],
        objectSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
      },
    },
    crossOriginEmbedderPolicy: false,
    frameguard: { action: "deny" },
    // A year. Over plain http browsers ignore it, and localhost must not be given one.
    hsts: secure ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    // Links to reset a password carry their token in the address.
    referrerPolicy: { policy: "no-referrer" },
  };
}

/** The features that a page of the dashboard never asks a browser for. */
export const PERMISSIONS_POLICY =
  "camera=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-create=(self), publickey-credentials-get=(self)";
