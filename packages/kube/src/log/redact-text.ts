import { redact } from '../errors/redact.ts';

/** `name: value` pairs inside a text, as in a dumped kubeconfig. */
const secretPairs = /((?:client-key-data|token|password|client-?secret)["']?\s*[:=]\s*["']?)(?!<)[^\s"',}]+/gi;
const urlPassword = /(\w:\/\/)[^\s/:@]*:[^\s/@]+@/g;

/** What stands in the place of a secret. */
export const blot = '<redacted>';

/** A text fit for the log: tokens, passwords and private keys blotted out. */
export const redactText = (text: string): string =>
  redact(text).replace(secretPairs, `$1${blot}`).replace(urlPassword, `$1${blot}@`);
