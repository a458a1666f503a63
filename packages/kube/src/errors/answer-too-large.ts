import { KubeError } from './kube-error.ts';

const reason = 'AnswerTooLarge';

/** More arrived at once than a transport may hold. `what` is the request. */
export const answerTooLarge = (what: string, maxBytes: number): KubeError =>
  new KubeError('Decode', `${what}: more than ${maxBytes} bytes of answers are arriving at once`, {
    hint: 'Ask for less at a time, or check what answers there.',
    reason,
  });

/** Whether a request failed because its answer is too large, so that a smaller one may work. */
export const isAnswerTooLarge = (error: unknown): boolean => KubeError.is(error, 'Decode') && error.reason === reason;
