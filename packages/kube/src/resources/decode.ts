import { isRecord, parseJson } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';

/** Decodes the JSON body of an answer; `context` says of what, for the error. The body itself is never shown. */
export function decodeJson<T extends object>(body: string, context: string): T {
  let decoded: unknown;
  try {
    decoded = parseJson(body);
  } catch (error) {
    // V8's message quotes a piece of the body, which may be a Secret.
    throw new KubeError('Decode', `${context} answered ${body.length} characters that are not JSON`, {
      cause: new SyntaxError(error instanceof SyntaxError ? 'invalid JSON' : 'unreadable body'),
    });
  }
  // The shape is the server's promise, as typed by the caller: only that it is an object is checked.
  if (!isRecord(decoded)) throw new KubeError('Decode', `${context} answered JSON that is not an object`);
  return decoded as T;
}
