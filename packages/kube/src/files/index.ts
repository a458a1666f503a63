/** Files that are read again when they change. */
export { FileWatcher } from './file-watcher.ts';
