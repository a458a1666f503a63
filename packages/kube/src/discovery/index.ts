/** What an API server serves: kinds that are known only when the program runs, and kinds that it has in an older version only. */
export type { ApiResource } from '../resources/api-resource.ts';
export { withOlderVersion } from '../resources/with-older-version.ts';
