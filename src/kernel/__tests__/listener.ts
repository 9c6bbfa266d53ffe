/** Collects, for tests, what a channel to a fake kernel emits. */
import { Unreadable } from '../../protocol/document';
import { Announcement } from '../../protocol/messages';
import { Channel } from '../channel';
import { ChannelState } from '../channel-interface';
import { FakeKernel } from './fake-kernel';

/** A channel to a kernel, and the channel's messages since its start. */
export class Listener {
  constructor(readonly kernel: FakeKernel) {
    this.channel = new Channel(kernel.connection);
    this.channel.received.connect((_, message) => {
      this.heard.push(message);
    });
    this.channel.unreadable.connect((_, reason) => {
      this.unreadable.push(reason);
    });
    this.channel.stateChanged.connect((_, state) => {
      this.states.push(state);
    });
  }

  channel: Channel;
  heard: Announcement[] = [];
  unreadable: Unreadable[] = [];
  states: ChannelState[] = [];

  /** The announcements that the channel has received, each as its type and its number, such as `hello 0`. */
  get words(): string[] {
    return this.heard.map(message => `${message.type} ${message.seq}`);
  }
}
