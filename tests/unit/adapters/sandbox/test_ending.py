"""How the end of a program is named."""

import resource
import signal
from dataclasses import replace

import pytest

from assay.adapters.sandbox.local.ending import Ending, status_of
from assay.adapters.sandbox.local.launch import rlimits
from assay.adapters.sandbox.local.meter import TreeMeter
from assay.adapters.sandbox.local.monitor import MonitorInputs, Output, ProgramMonitor
from assay.domain.programs.sandbox import Limits, Status

LIMITS = Limits(cpu_s=6.0)
KILLED = Ending(exit_code=None, signal=signal.SIGKILL, cpu_s=0.1, peak_bytes=None)


@pytest.fixture
def monitor() -> ProgramMonitor:
    inputs = MonitorInputs(
        stdout=Output(0, 10), stderr=Output(0, 10), ended=0, control=0, kill=lambda: None, is_canceled=bool
    )
    return ProgramMonitor(inputs, LIMITS, TreeMeter())


def test_the_kernel_ends_a_program_for_its_cpu_time(monitor: ProgramMonitor) -> None:
    soft = replace(KILLED, signal=signal.SIGXCPU, cpu_s=5.8)
    hard = replace(KILLED, cpu_s=6.5)
    assert [status_of(ending, monitor) for ending in (soft, hard)] == [Status.CPU_LIMIT] * 2


def test_a_kill_for_another_reason_is_a_signal(monitor: ProgramMonitor) -> None:
    assert status_of(KILLED, monitor) is Status.SIGNAL


def test_the_kernels_cpu_limit_is_well_above_the_monitors() -> None:
    soft, hard = next(one[1:] for one in rlimits(LIMITS, has_group=True) if one[0] == resource.RLIMIT_CPU)
    assert 2 * LIMITS.cpu_s <= soft < hard
