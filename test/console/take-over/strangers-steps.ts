import { addPasskey, signIn, signUp, usePasskey, whoIsIn } from "./person.ts";
import { type Scene, STRANGERS } from "./scene.ts";

export type Steps = Readonly<Record<string, (scene: Scene, pick: Pick) => Promise<void>>>;
/** A whole number from 0 and below `end`. */
export type Pick = (end: number) => number;

export const STRANGERS_STEPS: Steps = {
  "the stranger signs up as the victim": async (scene) => {
    await signUp(scene.stranger, scene.email, STRANGERS);
    await scene.mailComes();
  },
  "the stranger tries the password of that sign-up": async ({ stranger, email }) => {
    await signIn(stranger, email, STRANGERS);
  },
  "the stranger asks for a link for the victim": async (scene) => {
    const body = { email: scene.email, callbackURL: "/" };
    await scene.stranger.post("/api/auth/sign-in/magic-link", body);
    await scene.mailComes();
  },
  "the stranger asks for a new password for the victim": async (scene) => {
    await scene.stranger.post("/api/auth/request-password-reset", { email: scene.email });
    await scene.mailComes(scene.isUser);
  },
  "the stranger signs in as himself": async ({ desk, stranger, strangersEmail }) => {
    const own = await desk.signIn(strangersEmail);
    for (const [name, value] of own.cookies) stranger.cookies.set(name, value);
  },
  "the stranger adds a passkey where he is in": async ({ stranger, strangersPasskey }) => {
    await addPasskey(stranger, strangersPasskey);
  },
  "the stranger signs in by passkey": async ({ stranger, strangersPasskey }) => {
    await usePasskey(stranger, strangersPasskey);
  },
  "the stranger invites the victim": async (scene) => {
    const me = await whoIsIn(scene.stranger);
    const own = me?.accounts.find(({ email }) => email === scene.strangersEmail);
    if (own === undefined) return;
    const body = { email: scene.email };
    const added = await scene.stranger.post(`/api/accounts/${own.id}/members`, body);
    if (added.status !== 201) return;
    scene.isInvited = true;
    await scene.mailComes();
  },
};
