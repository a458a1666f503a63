/** Entry of the agent's Secret: another address at which the hub says that it can be reached. */
export const announcedServerKey = 'announced-server';

/** Entry of the agent's Secret: as what the agent joined the hub. Without the entry, the agent joins as if for the first time. */
export const joinRecordKey = 'join-record';

/** Entry of the agent's Secret: the auth type of the credentials. Those of another one are not used, although they may look alike. */
export const authTypeKey = 'registration-auth';
