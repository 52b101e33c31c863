/** The thread of `password_strength.ts`. It answers one question after the other. */
import { parentPort } from "node:worker_threads";
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs as graphs, dictionary as passwords } from "@zxcvbn-ts/language-common";
import { dictionary as english, translations } from "@zxcvbn-ts/language-en";

export interface Question {
  password: string;
  words: string[];
}

/** Of 0 to 4: at least 10^8 guesses. */
const LEAST_SCORE = 3;

const strength = new ZxcvbnFactory({ dictionary: { ...passwords, ...english }, graphs, translations });

parentPort?.on("message", ({ password, words }: Question) => {
  const { score, feedback } = strength.check(password, words);
  const [reason = "Add more words that are less common."] = [feedback.warning, ...feedback.suggestions].filter(Boolean);
  parentPort?.postMessage(score < LEAST_SCORE ? reason : null);
});
