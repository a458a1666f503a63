/** Where the reference page of all names is kept in the repository. */
export const namesPageUrl = new URL('../../../../../docs/reference/names.md', import.meta.url);
