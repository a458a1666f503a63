/** For specs: hostile rules, and how long they hold up the event loop. */

export {
  backtracking,
  hostileCel,
  hostileGlobs,
  hostileJq,
  hostilePaths,
  hostilePatterns,
  longText,
} from './hostile.ts';
export { acceptableMs, longestTurn } from './longest-turn.ts';
