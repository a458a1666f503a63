/** The work agent of a managed cluster. */
export {};
