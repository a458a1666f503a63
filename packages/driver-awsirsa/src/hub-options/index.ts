/** The flags of a hub, to check them without starting one. Apart from the root, because agents need no regular expressions of RE2. */
export { type HubSettings, readHubOptions } from './read-hub-options.ts';
