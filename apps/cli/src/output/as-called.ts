/** The commands of the programs that this one replaces. A hint may be for another machine, where the other program is installed. */
const commandsOf: Readonly<Record<string, RegExp>> = {
  clusteradm:
    /^(init|join|accept|unjoin|clean|upgrade (clustermanager|klusterlet)|clusterset|install|uninstall|proxy|addon (create|enable|disable)|create (clusterset|placement|sampleapp|work)|delete (clusterset|token|work)|get (addons?|clusters|clustersets|hub-info|klusterlet-info|placements|token|works))\b/,
  karmadactl: /^(init|join|unjoin|register|unregister|token)\b/,
};

/** A text with commands of `flotilla`, with the name by which the user calls this program. */
export const asCalled = (text: string, program: string): string =>
  text.replaceAll(/\bflotilla (?=([a-z-]+( [a-z-]+)?))/g, (name, command: string) =>
    (commandsOf[program]?.test(command) ?? true) ? `${program} ` : name,
  );
