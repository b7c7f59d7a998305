/** `callboard/testing`: what tests of agents and channels need. */
export { VirtualClock } from "./virtual-clock.js";
