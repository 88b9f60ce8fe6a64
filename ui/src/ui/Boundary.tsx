import { Component, type ReactNode } from "react";

interface Props {
  children: ReactNode;
  instead: ReactNode;
}

/** Shows something plainer where its content cannot be shown, such as after an update of the server. */
export class Boundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.instead : this.props.children;
  }
}
