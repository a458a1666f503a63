/** For tests of programs: time that a test moves by hand. A server to test against is `@flotilla/control-plane`. */

export { FakeClock } from './fake-clock.ts';
export { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts';
