/** What a hub publishes about itself. */
export interface HubInfo {
  /** Of an object that is as old as the hub: distinguishes the hub from another one at the same address. */
  readonly uid?: string;
  /** Another address of the same hub. */
  readonly server?: string;
  /** Base64 of PEM. */
  readonly caData?: string;
}
