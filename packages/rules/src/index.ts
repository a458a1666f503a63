// What needs no library. Each language that does has an entry of its own, so that a program loads what it evaluates.

export { compileWildcard, matchesWildcard, type Wildcard } from './glob/wildcard.ts';
