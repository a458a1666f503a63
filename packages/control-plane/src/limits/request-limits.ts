import type { ApiRequest } from '../contracts/exchange.ts';
import { systemMasters, type UserInfo } from '../contracts/user-info.ts';
import { throttled } from '../errors/api-errors.ts';
import type { RequestInfo } from '../requests/request-info.ts';
import type { Limits } from './limits.ts';
import { Shares } from './shares.ts';

/** What one request holds until it has ended: until its answer is sent, or its client is gone. */
export interface RequestHold {
  /** Counts bytes of its body, as they come. Throws 429 at a limit. */
  body(bytes: number): void;
  /** Counts an answer that is to be sent whole. Throws 429 at a limit. */
  answer(bytes: number): void;
  /** Counts the answer to what is done already. Never throws: the client would take it for not done. */
  doneAnswer(bytes: number): void;
  /** Makes a counter for what is held of an answer in parts: each call counts instead of the one before. False at a limit. */
  parts(): (bytes: number) => boolean;
}

/** Admits requests after authentication. Throws 429 if too many of the user, or of all users, are not answered yet. */
export type RequestLimits = (request: ApiRequest, user: UserInfo, info: RequestInfo) => RequestHold;

/** Counts nothing. */
export const unlimited: RequestHold = { body() {}, answer() {}, doneAnswer() {}, parts: () => () => true };

/** Requests of this process and of administrators are not limited, as `exempt` in API Priority and Fairness: whoever must repair gets in. */
export function createRequestLimits(limits: Limits): RequestLimits {
  const requests = new Shares({
    total: limits.maxRequests,
    perUser: limits.maxRequestsPerUser,
    minPerUser: limits.minRequestsPerUser,
    reserved: limits.maxReservedRequests,
  });
  const streams = new Shares({ total: limits.maxStreams, perUser: limits.maxStreamsPerUser });
  const bodies = new Shares({
    total: limits.maxBodiesBytes,
    perUser: limits.maxBodiesBytesPerUser,
    minPerUser: limits.minBodiesBytesPerUser,
    reserved: limits.maxReservedBodiesBytes,
  });
  const answers = new Shares({
    total: limits.maxAnswersBytes,
    perUser: limits.maxAnswersBytesPerUser,
    minPerUser: limits.minAnswersBytesPerUser,
    reserved: limits.maxReservedAnswersBytes,
  });
  return (request, user, info) => {
    if (request.user || user.groups.includes(systemMasters)) return unlimited;
    const { take, add, parts } = holder(user.name, request.signal);
    take(isLongRunning(info) ? streams : requests, 1);
    return {
      body: (bytes) => take(bodies, bytes),
      answer: (bytes) => take(answers, bytes),
      doneAnswer: (bytes) => add(answers, bytes),
      parts: () => parts(answers),
    };
  };
}

interface Holder {
  /** Throws 429 if the user does not get the amount. */
  take(shares: Shares, amount: number): void;
  add(shares: Shares, amount: number): void;
  /** Makes a function that takes an amount instead of the one before; false if the user does not get it. */
  parts(shares: Shares): (amount: number) => boolean;
}

/** Takes shares, and gives all of them back when the request has ended. */
function holder(user: string, ended: AbortSignal): Holder {
  const held: { shares: Shares; amount: number }[] = [];
  const note = (shares: Shares, amount: number) => {
    if (held.length === 0) {
      const releaseAll = () => {
        for (const each of held) each.shares.release(user, each.amount);
      };
      ended.addEventListener('abort', releaseAll, { once: true });
    }
    const share = { shares, amount };
    held.push(share);
    return share;
  };
  return {
    take(shares, amount) {
      if (ended.aborted) return;
      if (!shares.take(user, amount)) throw throttled();
      note(shares, amount);
    },
    add(shares, amount) {
      if (ended.aborted) return;
      shares.add(user, amount);
      note(shares, amount);
    },
    parts(shares) {
      const share = note(shares, 0);
      return (amount) => {
        if (ended.aborted) return false;
        shares.release(user, share.amount);
        const isTaken = amount === 0 || shares.take(user, amount);
        share.amount = isTaken ? amount : 0;
        return isTaken;
      };
    },
  };
}

const streamSubresources = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** As kube-apiserver decides what it does not count among the requests in flight. */
const isLongRunning = (info: RequestInfo): boolean =>
  info.verb === 'watch' || (info.kind === 'resource' && streamSubresources.has(info.subresource ?? ''));
