// What needs no library. Each language that does has an entry of its own, so that a program loads what it evaluates.

export { matchesWildcard } from './glob/wildcard.ts';
