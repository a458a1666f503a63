/** The last three words of a definition's or message's full name, which are unique: `core.v1.Pod`, `meta.v1.Time`. */
export const shortName = (fullName: string): string => fullName.split('.').slice(-3).join('.');
