/** Entries of stored credentials that begin so are the notes of a driver: of no use to anybody else, and not for their eyes. */
export const notePrefix = 'pending.';

/** Whether an entry of stored credentials is a note of a driver. */
export const isNote = (name: string): boolean => name.startsWith(notePrefix);
