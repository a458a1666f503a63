import { redact } from '@flotilla/kube/errors';

/** `name: value` pairs inside a text, as in a dumped kubeconfig. */
const secretPairs = /((?:client-key-data|token|password|client-?secret)["']?\s*[:=]\s*["']?)(?!<)[^\s"',}]+/gi;
const urlPassword = /(\w:\/\/)[^\s/:@]*:[^\s/@]+@/g;

/** What stands in the place of a secret. */
export const redacted = '<redacted>';

/** A text fit for the log: tokens, passwords and private keys redacted. */
export const redactText = (text: string): string =>
  redact(text).replace(secretPairs, `$1${redacted}`).replace(urlPassword, `$1${redacted}@`);
