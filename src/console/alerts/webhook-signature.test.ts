import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { newWebhookSecret, signedHeaders } from "./webhook-signature.ts";

test("a message is signed as the libraries of Standard Webhooks have it in their own tests", () => {
  const message = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  expect(signedHeaders(message, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("a secret holds 32 random bytes in the form that the libraries take", () => {
  const secret = newWebhookSecret(randomBytes);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newWebhookSecret(randomBytes)).not.toBe(secret);
});
