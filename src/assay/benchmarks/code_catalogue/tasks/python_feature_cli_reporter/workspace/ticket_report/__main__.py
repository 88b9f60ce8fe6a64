import sys

from ticket_report.cli import main

sys.exit(main())
